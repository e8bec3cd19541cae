# Draws one figure: JSON on the standard input, the path without an ending as the argument. See drawing.rs.
import json
import math
import sys
import textwrap

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, NullLocator

THEMES = {"": ("white", "#1a1a1a", "#d0d0d0"), "-dark": ("#0d1117", "#e6edf3", "#3a424c")}
ACROSS = 3
TICKS = 11
DPI = 160
# The height of a table's row, in inches.
ROW = 0.25


def is_number(text):
    try:
        float(text)
        return True
    except ValueError:
        return False


def places(points):
    """The values along the axis: numbers in their order, others as they come."""
    seen = list(dict.fromkeys(point[1] for point in points))
    return sorted(seen, key=float) if all(map(is_number, seen)) else seen


def short(text):
    """A number as people write it."""
    return f"{int(text):,}" if text.isdigit() and len(text) > 4 else text


def colour(series, ink):
    return ink if series["colour"] == "ink" else series["colour"]


def lines(axes, points, told, ink):
    numeric = all(is_number(point[1]) for point in points)
    order = places(points)
    for series in told["series"]:
        own = [point for point in points if point[0] == series["name"]]
        own.sort(key=lambda point: order.index(point[1]))
        at = [float(point[1]) if numeric else order.index(point[1]) for point in own]
        look = {"color": colour(series, ink), "marker": series["mark"]}
        axes.plot(at, [point[2] for point in own], linewidth=1.6, markersize=5, label=series["label"], **look)
        # What was ended: it took longer than its mark.
        for x, point in zip(at, own):
            if point[3]:
                axes.annotate(f"over {point[2]:g} s", (x, point[2]), (0, 8), textcoords="offset points",
                              ha="center", fontsize=6, color=ink, arrowprops={"arrowstyle": "<-", "color": ink})
    if not numeric:
        axes.set_xticks(range(len(order)), [short(text) for text in order], rotation=35, ha="right")
        return
    if told["log_x"]:
        axes.set_xscale("log")
        axes.xaxis.set_minor_locator(NullLocator())
    if len(order) <= TICKS:
        long = max(map(len, order)) > 5
        axes.set_xticks([float(text) for text in order], [short(text) for text in order], rotation=35 if long else 0,
                        ha="right" if long else "center")


def bars(axes, points, told, ink):
    order = places(points)
    here = [series for series in told["series"] if any(point[0] == series["name"] for point in points)]
    width = 0.8 / max(len(here), 1)
    for ix, series in enumerate(here):
        own = [point for point in points if point[0] == series["name"]]
        for point in own:
            x = order.index(point[1]) - 0.4 + width * (ix + 0.5)
            axes.bar(x, point[2], width * 0.92, color=colour(series, ink), edgecolor=ink, linewidth=0.4,
                     hatch="///" if point[3] else None, label=series["label"] if point is own[0] else None)
            if point[3]:
                axes.text(x, point[2], f"over {point[2]:g} s", rotation=90, ha="center", va="bottom", fontsize=6, color=ink)
    axes.set_xticks(range(len(order)), [short(text) for text in order], rotation=35 if len(order) > 4 else 0,
                    ha="right" if len(order) > 4 else "center")


def stacks(axes, points, told, ink):
    order = places(points)
    below = [0.0] * len(order)
    for series in told["series"]:
        own = {point[1]: point[2] for point in points if point[0] == series["name"]}
        if not own:
            continue
        heights = [own.get(x, 0.0) for x in order]
        axes.bar(range(len(order)), heights, 0.8, bottom=below, color=colour(series, ink), edgecolor=ink, linewidth=0.3,
                 label=series["label"])
        below = [a + b for a, b in zip(below, heights)]
    shown = range(0, len(order), max(1, math.ceil(len(order) / 14)))
    axes.set_xticks(list(shown), [short(order[ix]) for ix in shown], rotation=35 if len(order) > 7 else 0)


def beside(axes, points, told, ink):
    """Bars from the left, the first one on top, with their names and heights."""
    looks = {series["name"]: series for series in told["series"]}
    axes.set_xscale("log" if told["log_x"] else "linear")
    for at, (name, _, height, is_bound) in zip(range(len(points), 0, -1), points):
        axes.barh(at, height, 0.75, color=colour(looks[name], ink), edgecolor=ink, linewidth=0.4, hatch="///" if is_bound else None)
        axes.annotate(f"over {height:g} s" if is_bound else f"{height:.3g} s", (height, at), (3, 0), textcoords="offset points",
                      va="center", fontsize=6, color=ink)
    axes.set_yticks(range(len(points), 0, -1), [looks[point[0]]["label"] for point in points])
    axes.grid(False)
    # Room for what stands behind the longest bar, and a beginning before the shortest.
    heights = [point[2] for point in points]
    axes.set_xlim(min(heights) / 3 if told["log_x"] else 0, max(heights) * (6 if told["log_x"] else 1.2))


KINDS = {"lines": lines, "bars": bars, "stacks": stacks, "beside": beside}


def style(axes, ink, grid):
    axes.set_facecolor("none")
    axes.grid(True, axis="y", color=grid, linewidth=0.5)
    axes.set_axisbelow(True)
    for side, spine in axes.spines.items():
        spine.set_visible(side in ("left", "bottom"))
        spine.set_color(ink)
    axes.tick_params(colors=ink, labelsize=7, which="both")


def words(axes, text, ink):
    axes.axis("off")
    axes.add_patch(plt.Rectangle((0, 0), 1, 1, transform=axes.transAxes, fill=False, hatch="//", edgecolor=ink, alpha=0.15))
    axes.text(0.5, 0.5, textwrap.fill(text, 40), ha="center", va="center", color=ink, fontsize=8, transform=axes.transAxes)


def heights(panels, kind):
    """What all panels together reach from and to: ends of bars and stacks, or points."""
    tops = []
    for panel in panels:
        by_place = {}
        for point in panel["points"]:
            by_place.setdefault(point[1] if kind == "stacks" else len(by_place), []).append(point[2])
        tops += [sum(values) for values in by_place.values()]
    return [top for top in tops if top > 0]


def logarithmic(axes, all_heights):
    """The same decades in all panels, so that they can be compared, with numbers as people write them."""
    axes.set_yscale("log")
    low, high = math.floor(math.log10(min(all_heights))), math.ceil(math.log10(max(all_heights)))
    axes.set_ylim(10.0**low, 10.0 ** max(high, low + 1) * 1.6)
    axes.yaxis.set_major_locator(LogLocator(numticks=12))
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: decade(value)))


def decade(value):
    """A power of ten."""
    if value >= 10**6:
        return f"$10^{{{round(math.log10(value))}}}$"
    return f"{value:,.0f}" if value >= 1 else f"{value:g}"


def from_zero(axes, points, kind):
    """Bars begin at zero. Lines that are far from it would be flat."""
    low, high = min(point[2] for point in points), max(point[2] for point in points)
    if kind == "lines" and low > 0.5 * high:
        margin = 0.2 * (high - low) or 0.1 * high
        axes.set_ylim(low - margin, high + margin)
    else:
        axes.set_ylim(0, axes.get_ylim()[1] * 1.02)


def panels(told, paper, ink, grid):
    cells = [("points", panel) for panel in told["panels"]] + [("words", text) for text in told["missing"]]
    across = min(ACROSS, max(1, len(cells)))
    down = max(1, math.ceil(len(cells) / across))
    figure, grid_of = plt.subplots(down, across, figsize=(4.2 * across + 0.4, 3.2 * down + 1.1), squeeze=False, facecolor=paper)
    flat = [axes for row in grid_of for axes in row]
    for axes in flat[len(cells):]:
        axes.axis("off")
    shown = {}
    all_heights = heights(told["panels"], told["kind"])
    for axes, (kind, cell) in zip(flat, cells):
        if kind == "words":
            words(axes, cell, ink)
            continue
        style(axes, ink, grid)
        KINDS[told["kind"]](axes, cell["points"], told, ink)
        if told["log_y"]:
            logarithmic(axes, all_heights)
        else:
            from_zero(axes, cell["points"], told["kind"])
        axes.set_title(textwrap.fill(cell["name"], 52), fontsize=8, color=ink)
        axes.set_xlabel(told["x_label"], fontsize=8, color=ink)
        axes.set_ylabel(told["y_label"], fontsize=8, color=ink)
        for handle, label in zip(*axes.get_legend_handles_labels()):
            shown.setdefault(label, handle)
    if shown:
        figure.legend(shown.values(), shown.keys(), loc="lower center", ncols=min(5, len(shown)), frameon=False, fontsize=8,
                      labelcolor=ink)
    room = 0.32 * math.ceil(len(shown) / 5) + 0.08
    figure.tight_layout(rect=(0, room / figure.get_figheight(), 1, 1 - 0.45 / figure.get_figheight()))
    return figure


def table(told, paper, ink, grid):
    rows = [[short(cell) for cell in row] for row in told["lines"]]
    columns = list(zip(told["head"], *rows))
    widths = [max(map(len, column)) + 2 for column in columns]
    high = ROW * (len(rows) + 1)
    figure = plt.figure(figsize=(0.078 * sum(widths), high + 0.5 + ROW * len(told["missing"])), facecolor=paper)
    axes = figure.add_axes((0, 1 - (high + 0.4) / figure.get_figheight(), 1, high / figure.get_figheight()))
    axes.axis("off")
    shares = [width / sum(widths) for width in widths]
    shown = axes.table(cellText=rows, colLabels=told["head"], colWidths=shares, bbox=(0, 0, 1, 1), cellLoc="right")
    shown.auto_set_font_size(False)
    shown.set_fontsize(8)
    for (row, column), cell in shown.get_celld().items():
        cell.set_facecolor("none")
        cell.set_edgecolor(grid)
        cell.get_text().set_color(ink)
        if row == 0:
            cell.get_text().set_weight("bold")
        if not all(is_number(text.replace(",", "") or "0") for text in columns[column][1:]):
            cell.set_text_props(ha="left")
    for ix, text in enumerate(told["missing"]):
        figure.text(0.01, (0.05 + ROW * ix) / figure.get_figheight(), text, fontsize=8, color=ink)
    return figure


def main():
    told = json.load(sys.stdin)
    stem = sys.argv[1]
    # Text stays text, and the same numbers give the same bytes.
    plt.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "hyperblock", "font.family": "DejaVu Sans", "hatch.linewidth": 0.6})
    for theme, (paper, ink, grid) in THEMES.items():
        figure = (table if told["lines"] else panels)(told, paper, ink, grid)
        title = textwrap.fill(told["title"], int(11 * figure.get_figwidth()))
        figure.suptitle(title, fontsize=10, color=ink, y=1 + 0.05 / figure.get_figheight())
        for end, more in (("svg", {"metadata": {"Date": None}}), ("png", {"dpi": DPI, "metadata": {"Software": None}})):
            figure.savefig(f"{stem}{theme}.{end}", facecolor=paper, bbox_inches="tight", **more)
        plt.close(figure)


main()
