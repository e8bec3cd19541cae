"""How long another program takes for a job, from file to file.

Appended to scripts that have `PROGRAMS`. Called with the name of one, a job, a table, a file for what is found, and numbers:
of runs, and of seconds that a run may take. Prints the program's version, the number of pairs, and the seconds of each run,
a line each; or, after the version, a line that says why there are none.

What is timed begins with the table on file and ends with the pairs on file. Python and its packages have started before.
"""

import shutil

# A run that takes longer is the only one.
LONG = 10
# Of the machine's memory.
MOST_MEMORY = 0.9


def run(program, job, table, output, n_runs, seconds):
    """All runs, and one before them to warm up."""
    program = PROGRAMS[program]()
    print(program.version, flush=True)
    if job in getattr(program, "WITHOUT", {}):
        print(program.WITHOUT[job], flush=True)
        return
    tell(*timed(lambda: program.run(job, table, output), n_runs, seconds, LONG))


def main():
    program, job, table, output = sys.argv[1:5]
    n_runs, seconds = map(int, sys.argv[5:7])
    memory = int(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") * MOST_MEMORY)
    memory = getattr(PROGRAMS[program], "MEMORY", memory)
    is_done = limited(lambda: run(program, job, table, output, n_runs, seconds), memory, seconds)
    # What DuckDB had no memory for, and a part of an answer.
    shutil.rmtree(f"{output}.temporary", ignore_errors=True)
    if not is_done and os.path.exists(output):
        os.remove(output)


main()
