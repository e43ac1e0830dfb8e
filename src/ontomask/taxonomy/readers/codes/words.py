"""The words of headers, without accents, in English and in languages near to it.

German, French, Spanish, Catalan, Italian, Portuguese, Dutch, Nordic, Baltic and Slavic languages.
"""

from __future__ import annotations

__all__ = [
    "CODE_WORDS",
    "DEPTH_WORDS",
    "EMPTY_WORDS",
    "LANGUAGES",
    "LEVEL_WORDS",
    "NAME_WORDS",
    "NOTE_WORDS",
    "PARENT_WORDS",
    "QUALIFIERS",
    "SCHEME_WORDS",
    "SYNONYM_WORDS",
    "WEAK_NAME_WORDS",
]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: Columns of codes. The names of classifications are among them.
CODE_WORDS = _words(
    """
    atc cip cislo clave cod code codes codi codice codigo codigos cota cpv hscode icd id
    identifier ids iri isco iso kennung key kod kodai kodas kode koder kodi kods kodu kood
    koodi kurzel letter nace naics no notation nr num number numero nummer nuts schluessel
    schlussel sic sifra soc symbol uri url κωδικος код
    """
)

#: Names of classifications: a column called so has its codes, if no other has.
SCHEME_WORDS = _words(
    """
    atc cip cpv icd isco iso nace naics nuts sic soc
    """
)

#: Columns of names.
NAME_WORDS = _words(
    """
    aciklama adi benamning benennung benevnelse beskrivelse beskrivning beteckning
    bezeichnung bezeichnungen denominacao denominacio denominacion denominazione denumire
    desc descricao descripcio descripcion description descriptor descrizione intitule label
    labels libelle megnevezes naam name names namn navn nazev naziv nazov nazwa nev nimetus
    nimi nimike nom nombre nome nosaukums omschrijving opis pavadinimas popis term text
    titel title titles titol titolo titre titulo ονομα περιγραφη назва название наименование
    опис описание
    """
)

#: Columns of names or of definitions: another column of names is better.
WEAK_NAME_WORDS = _words(
    """
    desc descricao descripcion description opis popis text опис описание
    """
)

#: Columns of other names.
SYNONYM_WORDS = _words(
    """
    alias aliases altlabel altlabels altname altnames sinonimi sinonimo sinonimos sinonims
    synoniemen synonym synonyme synonymer synonymes synonyms
    """
)

#: Columns with the parents of the concepts.
PARENT_WORDS = _words(
    """
    broader foralder hypernym nadrazeny nadredena nadredeni nadrzedny oberbegriff obergruppe
    oberkategorie overordnad overordnet padre pai pare parent parentcode parentid parents
    parentuid parinte predecessor rodic superior superordinate szulo tevinis ubergeordnet
    ubergeordnete ubergeordneter uebergeordnet ulem vater vecaka ylaluokka ylempi родитель
    родительский
    """
)

#: Columns with the depths of the concepts; with a number, columns of one level.
DEPTH_WORDS = _words(
    """
    depth duzey ebene gliederungsebene hierarchieebene hierarchielevel level levels limenis
    livello lygis niva nivaa niveau nivel nivell poziom razina seviye stufe szint tase taso
    tier uroven рівень уровень
    """
)

#: Columns that are not used, if their headers begin or end so.
NOTE_WORDS = _words(
    """
    comment comments count currency date definicio definicion definition definitions
    definizione description_note elevation erlauterung erlauterungen exclude excludes
    explanation explanatory explanatorynote extension include includes index latitude link
    longitude modified nota notas note notes order orig probability pt range remark remarks
    scope status version
    """
)

#: Columns with the concepts of one level.
LEVEL_WORDS = _words(
    """
    abschnitt abteilung area avdelning berufsgruppe bloc block blocks bloque branch
    bundesland capitol capitolo capitulo categoria categorie categories category chapitre
    chapter chapters city ciudad clase class classe classes comarca commodity commune comune
    comunidad continent continente country county departement department detaljgrupp
    district divisao divisio division divisione divisions domain dzial erdteil family
    gemeinde genus global group groupe groups grup grupa grupo gruppe gruppo hauptgruppe
    heading hovedgruppe huvudgrupp industry kapitel kategorie kingdom klasa klasse kontinent
    kreis localidad locality municipality municipio oberkategorie oddil odjeljak order ort
    paese pais pays phylum podklasa prefecture province provincia rama razred
    regierungsbezirk region secao seccao seccio seccion section sections sector sectors
    segment sekce sekcja sezione skupina species stadt state subcategory subclase subclass
    subclasse subdivisao subdivision subgroup subgrup subgrupo subheading subregion
    subsection subsector supercategory supergroup territory town tribe trida undergrupp
    undergruppe untergruppe unterkategorie unterklasse village ville world группа класс
    подкласс раздел
    """
)

#: Words before those of levels.
QUALIFIERS = _words(
    """
    broad detailed intermediate main major minor sub unit
    """
)

#: Words that say nothing by themselves.
EMPTY_WORDS = _words(
    """
    and condensed das de del der des die direct el english et first french full german i la
    last latin les long of official or per preferred pro pt short spanish the und unique y
    """
)

#: Languages at the end of a header.
LANGUAGES = _words(
    """
    ar bg ca cn cs da de el en es et eu fi fr gl hr hu it ja lt lv nb nl nn no pl pt ro ru
    sk sl sr sv tr zh
    """
)
