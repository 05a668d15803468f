"""Function words, mostly called stop words: of English, and of other languages in Latin script."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


ENGLISH = _words(
    """
    'd 'll 'm 're 's 've a about after all also an and any are as at be because been being but by can
    cannot could did do does don't either for from had has have he her his how i if in into is it its
    may me might must my no nor not of on one or our shall she should so some such than that the their
    them then there these they this those to upon us was we were what when where which while who whom
    whose why will with would you your
    """
)

# Frequent English words that are words of hardly any other language.
ONLY_ENGLISH = (
    ENGLISH - _words("a an as at do had he his i in it may me no nor on one or so us was we will")
) | _words("just like know want people very more said here out up get go make think till toward")

# Words that are no English words, a paragraph each: German, French, Spanish, Italian, Portuguese, Dutch,
# Scandinavian, Finnish, Czech, Polish, Turkish, Hungarian, Romanian, South Slavic, Vietnamese,
# Indonesian.
FOREIGN = _words(
    """
    aber alle als auch auf aus bei beim bitte das dass dein deine dem dich diese dieser dieses dir doch
    dort drei durch ein eine einem einen einer eines einige er es etwas euch für gegen gehen geht gerade
    gestern habe haben hatte heute hier hinter ich ihm ihn ihr ihre im immer ins ist jeden kann kein
    keine mehrere mein meine mich mir mit muss nach neben nicht nichts noch nur oder ohne schon sehr
    sein seine seinem sich sie sind sollte um und uns viele vom vor wenn wer werden wie wir wird
    wirklich wo wurde zu zum zur zwei zwischen über

    ai au aux avec beaucoup c'est ce cela ces cet cette comme d'un d'une dans des deux devant dit elle
    elles encore est et faire fait il ils j'ai jamais je l'a les leur lui mais mes moi n'est ne nos
    notre nous ont où pas peut qu'il quand que quel quelle qui quoi rien s'est sa ses sont suis tes toi
    tous trois très tu une vers veut vos votre vous vraiment ça était été être

    al cuando esta este está hay las lo los muy más nos para pero por porque que qué ser su sus también
    una unos yo

    alla anche che ci da dei della delle gli ho nel perché più questo sono ti uno è

    ao das ela ele foi isso mais muito na não os seu sua um uma você é

    aan bij dat deze een hebben het hij ik maar naar niet nog ook op te voor wat wij ze zijn

    att av blev det eller ett från han har hon ikke inte jag jeg med nu och og om på som så til vi är

    aina ei emme ensi et ette että hyvin hän hänen häntä ihan ja jo joka jos jotain kaikki kertoa koska
    kuin kun meidän meille miksi mikä minua minulle minun minut minä missä miten mitä mutta myös niin
    noin nyt ole olen olet oli olisi olla ollut ovat paljon pitää sen siitä silloin sinua sinulle sinun
    sinut sinä sitten sitä tosi tämä vai vain voi

    aby ale byl být jak jde jdou je jeho jejich jsem jsou kolem která který mezi na nad nebo od po pod
    před při vedle za ze že

    był czy dla ich jak jest mnie nie się tak za że

    ama bir bu daha gibi için var çok

    az csak egy ez hogy meg már nem volt és

    care cu din este mai nu sunt să în și

    ili kako koji što

    có của không là một người tôi và được

    akan dan dengan ini itu saya tidak untuk yang
    """
)

# Function words that also occur in names and English phrases (van der, de la, en route).
PARTLY_FOREIGN = _words(
    """
    bin con de del den der di die dos du el em en eu gut hat la le ma mas mi mon non par per plus pour
    se si son sur ton tout un van ve von war
    """
)
