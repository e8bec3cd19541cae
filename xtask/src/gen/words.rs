//! The words that persons are made of, the common ones first. Separated by commas.

/// First names of several languages.
pub(super) const FIRST_NAMES: &str = "
    Maria, Anna, John, Michael, David, Thomas, Peter, Laura, Sofia, Daniel, Paul, Emma, Martin, Julia, Lukas, Andrea,
    Marco, José, Elena, James, Robert, Sarah, Lisa, Mark, Eva, Jan, Lena, Alexander, Christine, Stefan, Nicole, Simon,
    Emily, Oliver, Hannah, Jakob, Clara, Philipp, Claire, Antoine, Pierre, Camille, Élise, François, Hélène, René, Chloé,
    Zoé, Mathéo, Noël, Amélie, Jürgen, Jörg, Günther, Käthe, Björn, Sören, Åsa, Göran, Mårten, Linnéa, Frida, Astrid, Ingrid,
    Lars, Nils, Sven, Erik, Magnus, Søren, Jørgen, Mette, Kirsten, Rasmus, Pablo, Andrés, Íñigo, Begoña, Lucía, Martín,
    Sebastián, Joaquín, Inés, Álvaro, Núria, Jesús, Raquel, Carmen, Diego, Javier, Miguel, João, Tomás, Inês, Conceição,
    Luís, Beatriz, Catarina, Rui, Giulia, Matteo, Lorenzo, Chiara, Francesca, Giovanni, Niccolò, Alessia, Luca, Paola,
    Łukasz, Paweł, Michał, Małgorzata, Agnieszka, Zofia, Wojciech, Katarzyna, Krzysztof, Bożena, Jiří, Ondřej, Tomáš,
    Kateřina, Zdeněk, Věra, Lucie, Marek, László, Zsófia, Győző, Ágnes, István, Katalin, Bence, Ștefan, Ioana, Mihai, Andrei,
    Elif, Çağla, Mehmet, Ayşe, Mustafa, Işıl, Emre, Zeynep, Siobhán, Aoife, Ciarán, Seán, Niamh, Fiona, Gareth, Rhys,
    Dylan, Megan, William, Henry, Charlotte, Grace, Edward, Alice, Arthur, Florence, Harriet, Samuel, Benjamin, Rebecca,
    Hana, Yuki, Kenji, Mei, Wei, Priya, Arjun, Anjali, Rohan, Fatima, Omar, Leila, Yusuf, Amina, Karim, Nadia, Ivan, Olga,
    Dmitri, Natasha, Vera, Boris, Goran, Milena, Dragan, Ivana, Ana, Ivo, Guðrún, Jón, Snædís
";

/// Last names that many people have.
pub(super) const LAST_NAMES: &str = "
    Smith, Müller, García, Martin, Johnson, Rossi, Schmidt, Williams, Brown, Jones, Silva, Novák, Nowak, Nagy, Popescu,
    Davis, Miller, Wilson, Moore, Taylor, Anderson, Schneider, Fischer, Weber, Meyer, Wagner, Becker, Schulz, Hoffmann,
    Schäfer, Koch, Bauer, Richter, Klein, Wolf, Schröder, Neumann, Schwarz, Zimmermann, Braun, Krüger, Hofmann, Hartmann,
    Lange, Werner, Krause, Lehmann, Köhler, Maier, Walter, König, Böhm, Jäger, Groß, Weiß, Vogel, Günther, Möller, Böttcher,
    Bernard, Dubois, Durand, Leroy, Moreau, Lefèvre, Girard, Fournier, Mercier, Rousseau, Guérin, Chevalier, Gauthier,
    Perrin, Clément, Béranger, Lemaître, Thérond, Desprès, Prévost, Hébert, Côté, Gagné, Bélanger, Fernández, González,
    Rodríguez, López, Martínez, Sánchez, Pérez, Gómez, Jiménez, Ruiz, Hernández, Díaz, Álvarez, Muñoz, Romero, Gutiérrez,
    Domínguez, Vázquez, Ibáñez, Núñez, Castaño, Peña, Ordóñez, Zúñiga, Santos, Ferreira, Pereira, Oliveira, Costa,
    Rodrigues, Gonçalves, Magalhães, Araújo, Conceição, Simões, Guimarães, Brandão, Assunção, Russo, Ferrari, Esposito,
    Bianchi, Romano, Colombo, Ricci, Marino, Greco, Bruno, Gallo, Conti, De Luca, Mancini, Costantini, Giordano, Lombardi,
    Moretti, Barbieri, Fontana, Kowalski, Wiśniewski, Wójcik, Kowalczyk, Kamiński, Lewandowski, Zieliński, Szymański,
    Woźniak, Dąbrowski, Kozłowski, Jankowski, Mazur, Wojciechowski, Kwiatkowski, Krawczyk, Piątek, Łuczak, Żak, Svoboda,
    Novotný, Dvořák, Černý, Procházka, Kučera, Veselý, Horák, Němec, Pokorný, Růžička, Šimek, Žižka, Kovács, Tóth, Szabó,
    Horváth, Varga, Kiss, Molnár, Németh, Farkas, Balogh, Lakatos, Győri, Fűzfa, Ionescu, Popa, Dumitru, Stoica, Gheorghe,
    Rusu, Munteanu, Țurcanu, Pătrașcu, Yılmaz, Kaya, Demir, Şahin, Çelik, Yıldız, Öztürk, Aydın, Özdemir, Arslan, Doğan,
    Andersson, Johansson, Karlsson, Nilsson, Eriksson, Larsson, Olsson, Persson, Svensson, Gustafsson, Lindström,
    Sjöberg, Åkesson, Öberg, Nyström, Hansen, Jensen, Nielsen, Pedersen, Sørensen, Rasmussen, Jørgensen, Møller,
    Østergaard, Kjær, Bjørnstad, Virtanen, Korhonen, Mäkinen, Hämäläinen, Jónsson, O'Brien, Murphy, Kelly,
    O'Sullivan, Walsh, Byrne, Ó Súilleabháin, Evans, Davies, Thomas, Roberts, Hughes, Lewis, Morgan, Griffiths, Thompson,
    White, Harris, Clark, Robinson, Walker, Young, Allen, King, Wright, Scott, Hill, Green, Adams, Baker, Nelson, Carter,
    Mitchell, Turner, Phillips, Campbell, Parker, Edwards, Collins, Stewart, Morris, Rogers, Reed, Cook, Bell, Cooper,
    Richardson, Cox, Ward, Gray, James, Watson, Brooks, Bennett, Wood, Barnes, Ross, Henderson, Coleman, Jenkins, Perry,
    Powell, Long, Patterson, Foster, Butler, Simmons, Bryant, Russell, Griffin, Hayes, Tanaka, Sato, Suzuki, Wang, Li,
    Zhang, Chen, Nguyen, Tran, Kim, Park, Choi, Singh, Patel, Kumar, Sharma, Khan, Ahmed, Ali, Hassan, Ivanov, Petrov,
    Horvat, Kovačević, Đorđević, Petrović, Šarić, Babić
";

/// Beginnings of rarer last names.
pub(super) const LAST_STARTS: &str = "
    Ash, Bar, Bel, Ber, Black, Bran, Brook, Cald, Car, Chal, Cor, Cran, Dal, Dar, Del, Dor, Eck, El, Fair, Fal, Fen, Gar,
    Gil, Gold, Gran, Hal, Ham, Har, Hart, Hel, Hol, Holl, Hum, Ing, Kal, Kar, Kel, Kir, Kol, Kön, Lan, Lin, Lö, Lud, Mac,
    Mal, Man, Mar, Mc, Mel, Mon, Mor, Nor, Ol, Or, Pal, Pem, Pen, Pol, Rad, Ran, Rei, Ros, Rüd, Sal, San, Schön, Sel, Shel,
    Sta, Stan, Stein, Sut, Tal, Tar, Thor, Tol, Val, Van, Vel, Vil, Wal, War, Wel, West, Whit, Wil, Win, Wood, Zel, Žel, Świ
";

/// Middles of rarer last names.
pub(super) const LAST_MIDDLES: &str = "
    a, e, i, o, an, ar, en, er, in, on, al, el, il, ol, am, em, at, et, it, and, end, ing, as, es, is, ad, ed, id, ab, eb,
    av, ev, iv, ov, ander, inger, ester, ack, eck, ick, é, ö, ü, á, ard, ert, ald, eld, ild, old, ama, ene, ini, ona, uza
";

/// Ends of rarer last names.
pub(super) const LAST_ENDS: &str = "
    son, man, ton, ley, ford, field, berg, stein, ski, well, worth, wood, ham, by, land, brook, stone, bach, feld, mann,
    hof, meier, ová, ić, escu, ez, ini, elli, etti, ard, eau, ier, dale, more, wick, cott, shaw, den, don, der, ter, ler,
    ner, ker, sen, sson, ström, gren, lund, quist, dottir, nen, czyk, wicz, nik, rák, vić, enko, ov, dze, ian, oğlu, kaya, tan
";

/// Names of streets, without their kind.
pub(super) const STREETS: &str = "
    Main, Church, High, Park, Mill, Station, School, Garden, Maple, Oak, River, Lake, Hill, Forest, Market, Castle, Bridge,
    Chapel, Victoria, King, Queen, Washington, Lincoln, Elm, Pine, Cedar, Walnut, Chestnut, Birch, Willow, Linden, Rose,
    Meadow, Spring, Valley, Sunset, Highland, North, South, East, West, Harbour, Quarry, Orchard, Vineyard, Abbey, Priory,
    Windmill, Canal, Railway, College, University, Museum, Opera, Theatre, Liberty, Union, Republic, Garibaldi, Mozart,
    Beethoven, Goethe, Schiller, Cervantes, Molière, Pasteur, Newton, Kepler, Copernicus, Old Post, New Town, Long Acre
";

/// Kinds of streets.
pub(super) const STREET_KINDS: &str =
    "Street, Road, Avenue, Lane, Drive, Way, Court, Place, Square, Boulevard";

/// Cities, each with the first three digits of its zip codes.
pub(super) const CITIES: &str = "
    Berlin 101, Paris 750, Madrid 280, Roma 001, New York 100, Hamburg 200, München 803, Barcelona 080, Milano 201,
    Chicago 606, Los Angeles 900, Köln 506, Marseille 130, Valencia 460, Napoli 801, Torino 101, Lyon 690, Frankfurt 603,
    Stuttgart 701, Düsseldorf 402, Leipzig 041, Dresden 010, Hannover 301, Nürnberg 904, Bremen 281, Essen 451,
    Toulouse 310, Nice 060, Nantes 440, Strasbourg 670, Bordeaux 330, Lille 590, Rennes 350, Besançon 250, Orléans 450,
    Saint-Étienne 420, Sevilla 410, Zaragoza 500, Málaga 290, Murcia 300, Bilbao 480, Córdoba 140, A Coruña 150, Cádiz 110,
    Palermo 901, Genova 161, Bologna 401, Firenze 501, Bari 701, Verona 371, Forlì 471, Houston 770, Phoenix 850,
    Philadelphia 191, San Antonio 782, San Diego 921, Dallas 752, Austin 787, Seattle 981, Denver 802, Boston 021, Portland 972,
    Helsinki 001, Tampere 331, Praha 110, Brno 602, Plzeň 301, Zagreb 100, Ankara 060, İzmir 350, Kraków 300, Łódź 900,
    Würzburg 970, Tübingen 720, Münster 481, Lübeck 235
";

/// Where mail goes: names that are reserved for examples.
pub(super) const DOMAINS: &str =
    "example.com, example.org, example.net, mail.example, post.example, home.example";
