"""What the names of columns say, in eight languages: words to guess by and no more.

The languages are English, German, French, Spanish, Italian, Portuguese, Dutch and Catalan. Words
are written without accents; names of the OMOP, eICU and MIMIC tables are among them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

__all__ = [
    "CATEGORY_WORDS",
    "CODE_WORDS",
    "CONFIDENTIAL_WORDS",
    "COUNT_WORDS",
    "IDENTIFIER_WORDS",
    "NAME_WORDS",
    "NUMBER_WORDS",
    "PERSON_WORDS",
    "PLACE_WORDS",
    "POSTAL_WORDS",
    "STAFF_WORDS",
    "TIME_WORDS",
    "TRAIT_WORDS",
    "SubjectWords",
    "ends_as_number",
    "word_at",
    "words_of",
]


@dataclass(frozen=True)
class SubjectWords:
    """Words about one subject; ``parts`` count inside longer words, too (Geburtsdatum)."""

    words: frozenset[str]
    parts: tuple[str, ...] = ()

    def has(self, word: str) -> bool:
        """Whether a word of a name is about the subject."""
        return word in self.words or any(part in word for part in self.parts)

    def has_any(self, words: Iterable[str]) -> bool:
        """Whether one of the words is about the subject."""
        return any(map(self.has, words))

    def has_all(self, words: Iterable[str]) -> bool:
        """Whether all words are about the subject."""
        return all(map(self.has, words))


def _subject_words(words: str, parts: str = "") -> SubjectWords:
    return SubjectWords(frozenset(words.split()), tuple(parts.split()))


PERSON_WORDS = _subject_words(
    """
    person subject member customer client user participant respondent student employee citizen
    resident household insured pid mrn ssn uniquepid
    mitglied kunde teilnehmer proband schueler mitarbeiter buerger einwohner haushalt fall
    personne sujet membre eleve etudiant employe menage foyer assure
    persona sujeto miembro cliente participante alumno estudiante empleado asegurado hogar
    soggetto membro partecipante alunno studente dipendente assistito
    pessoa sujeito utente segurado aluno estudante
    persoon lid klant deelnemer leerling medewerker
    subjecte assegurat alumne estudiant empleat llar
    """,
    "patient pacient paziente versichert verzekerd",
)
NAME_WORDS = _subject_words(
    "name names surname firstname lastname forename nom prenom nombre apellido apellidos nome "
    "cognome sobrenome apelido naam voornaam achternaam cognom cognoms",
    "nachname vorname familienname",
)
IDENTIFIER_WORDS = _subject_words(
    """
    ssn mrn email mail phone telephone tel mobile fax address street iban passport licence license
    url ip username login surname firstname lastname forename nhs dni nif nie uuid guid
    telefon adresse strasse hausnummer prenom rue courriel nir
    apellido apellidos telefono direccion calle correo curp cip cognome indirizzo
    sobrenome telefone endereco cpf telefoon adres straat bsn voornaam achternaam
    cognom cognoms adreca carrer correu
    """,
    "nachname vorname codicefiscale ausweis handynummer sozialversicherung",
)
NUMBER_WORDS = _subject_words(
    "id ids nbr nr no number uuid guid key mrn identifier num numero nummer kennung schluessel "
    "matricule pseudonym pseudonyme pseudo uniquepid",
)
TRAIT_WORDS = _subject_words(
    """
    age sex gender race ethnicity ethnic marital education school degree occupation job profession
    religion nationality nation country native birth born dob birthday birthdate birthplace year
    height weight language citizenship relationship family household children industry workclass
    employer disability veteran
    alter beruf bildung abschluss konfession herkunft land jahr jahrgang groesse sprache kinder
    taetigkeit
    sexe genre etnie etat civil etudes diplome metier emploi nationalite pays annee taille poids
    langue enfants naissance
    edad sexo genero raza etnia educacion estudios ocupacion profesion trabajo oficio pais ano peso
    altura estatura talla idioma lengua hijos nacimiento
    eta sesso genere razza istruzione professione occupazione lavoro paese anno altezza lingua figli
    nascita civile
    idade escolaridade educacao ocupacao profissao raca filhos nascimento
    leeftijd geslacht ras opleiding beroep taal jaar kinderen burgerlijke lengte
    edat estudis educacio professio ocupacio feina any pes alcada llengua fills naixement estat
    """,
    "geschlecht familienstand zivilstand geburt geboorte birth ethnic ethnie etnic nationalit "
    "nacional nazional staatsangeh matrimoni schulabschluss gewicht occupat religi",
)
PLACE_WORDS = _subject_words(
    """
    zip zipcode postal postcode plz city town region state county province district area place
    address municipality ward hospital clinic site location neighbourhood latitude longitude care
    unit unittype wardid hospitalid
    ort wohnort stadt gemeinde bundesland kreis landkreis bezirk krankenhaus klinik station standort
    ville commune departement hopital etablissement lieu codepostal
    ciudad municipio provincia comunidad barrio centro lugar localidad domicilio residencia
    citta comune regione ospedale luogo residenza cap cp
    cidade concelho distrito regiao freguesia bairro
    stad plaats gemeente provincie regio ziekenhuis
    ciutat municipi comarca poblacio barri lloc
    """,
    "wohnort postleitzahl woonplaats krankenhaus codepostal",
)
TIME_WORDS = _subject_words(
    """
    date time day days month week hours stay duration los admitted datetime discharged
    datum zeit tag tage monat woche dauer aufnahme entlassung
    jour jours mois semaine heure duree sejour sortie
    fecha dia dias mes semana hora duracion estancia ingreso alta
    giorno giorni mese settimana ora durata degenza ricovero dimissione data
    duracao internamento
    dag dagen maand uur duur opname ontslag
    setmana durada estada ingres
    """,
    "datum verweildauer aufnahme entlassung offset",
)
POSTAL_WORDS = _subject_words("zip zipcode postal postcode plz codepostal cap cp", "postleitzahl")
CONFIDENTIAL_WORDS = _subject_words(
    """
    charge charges cost costs amount price salary wage wages pay payment payments revenue balance
    debt gain loss capital death died deceased mortality survival survived score glucose serum
    hba1c cholesterol creatinine haemoglobin hemoglobin pressure hiv viral tumour tumor stage
    prognosis verdict grade
    kosten gehalt einkommen lohn betrag preis ergebnis verstorben tod blutdruck laborwert
    cout couts salaire revenu revenus montant prix deces
    coste costes costo salario sueldo ingresos importe precio fallecido muerte puntuacion
    costi stipendio reddito importo prezzo esito decesso punteggio
    custo renda rendimento preco obito
    salaris inkomen loon bedrag prijs uitkomst overleden
    salari sou import preu defuncio
    """,
    "result salary income outcome readmi gehalt einkommen ergebnis",
)
CODE_WORDS = _subject_words(
    """
    diag dx icd icd9 icd10 procedure procedures proc px code codes cause disease concept
    icd9code icd10code
    befund krankheit prozedur ops eingriff ursache
    maladie acte cim cim10 enfermedad procedimiento cie cie9 cie10 causa
    malattia procedura intervento doenca procedimento cid cid10
    ziekte verrichting ingreep oorzaak malaltia procediment
    codigo codice codi kode
    """,
    "diagnos krankheit todesursache schluessel",
)
COUNT_WORDS = ("num", "number", "count", "n", "nr", "no", "times", "anzahl", "nombre", "aantal")
STAFF_WORDS = _subject_words(
    """
    doctor physician provider surgeon nurse therapist prescriber author arzt aerztin medecin medico
    medica dottore arts metge infermera enfermera
    """,
    "chirurg",
)
CATEGORY_WORDS = _subject_words(
    "id type code class category group kind status source flag typ art klasse gruppe kategorie "
    "categorie groupe tipo categoria grupo clase classe gruppo soort groep tipus grup"
)


def words_of(name: str) -> frozenset[str]:
    """The words that a name is made of, in lower case and without accents.

    >>> sorted(words_of("A1Cresult")), sorted(words_of("Patient_ID2")), sorted(words_of("zipCode"))
    (['a1cresult'], ['id', 'patient'], ['code', 'zip'])
    >>> sorted(words_of("Année de naissance")), sorted(words_of("Straße"))
    (['annee', 'de', 'naissance'], ['strasse'])
    """
    words = _split_words(name)
    return frozenset(
        word if word in CODE_WORDS.words else word.rstrip("0123456789") or word for word in words
    )


def word_at(name: str, place: int) -> str:
    """One word of a name, without its digits: -1 is the last."""
    words = [bare for word in _split_words(name) if (bare := re.sub(r"\d", "", word))]
    return words[place] if words else ""


def ends_as_number(name: str) -> bool:
    """Whether the last word of a name says that it is a number of something.

    >>> names = ("patient_nbr", "patientunitstayid", "Fallnummer", "covid")
    >>> [ends_as_number(name) for name in names]
    [True, True, True, False]
    """
    last = word_at(name, -1)
    compound = re.fullmatch(
        r".*(patient|person|subject|stay|admission|encounter|visit|case|hadm|fall|member)\w*id"
        r"|.{3,}nummer",
        last,
    )
    return NUMBER_WORDS.has(last) or compound is not None


def _split_words(name: str) -> list[str]:
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    spelt = apart.casefold()
    for letter, letters in {"ä": "ae", "ö": "oe", "ü": "ue"}.items():
        spelt = spelt.replace(letter, letters)
    plain = unicodedata.normalize("NFKD", spelt)
    return re.findall(r"[^\W_]+", "".join(c for c in plain if not unicodedata.combining(c)))
