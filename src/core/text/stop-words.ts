/** The 33 English stop words that Lucene's English analysis has always removed by default. */
export const ENGLISH_STOP_WORDS: ReadonlySet<string> = new Set(
  (
    'a an and are as at be but by for if in into is it no not of on or such ' +
    'that the their then there these they this to was will with'
  ).split(' '),
);

/**
 * Words of the English closed classes (pronouns, determiners, auxiliaries, prepositions, conjunctions, adverbs of
 * degree, place and time). They are searched for like other words, but never used in names of themes.
 */
export const ENGLISH_FUNCTION_WORDS: ReadonlySet<string> = new Set(
  [
    'about above across actually after again against ago all almost alone along already also although always am among',
    'another any anybody anyone anything anyway apart around aside away back because been before behind being below',
    'beneath beside besides between beyond both can cannot could did do does doing done down due during each either else',
    'enough especially etc even ever every everybody everyone everything except far few first for former from further get',
    'gets had has have having he hence her here hers herself him himself his how however i instead its itself just keep',
    'last later latter least less let like likely made mainly make makes many may maybe me might mine more moreover most',
    'mostly much must my myself near nearly neither never next nobody none nor nothing now off often on once one ones only',
    'onto other others otherwise ought our ours ourselves out over own particular per perhaps please quite rather really',
    'said same say says second see seem seems several shall she should since so some somebody someone something sometimes',
    'somewhat soon still such than that their theirs them themselves then there therefore these they thing things this',
    'those though through throughout thus to together too toward towards two under unless unlike until up upon us use used',
    'useful using usually very via was way ways we well were what whatever when whenever where whereas wherever whether',
    'which while who whoever whole whom whose why will with within without would yes yet you your yours yourself',
  ]
    .join(' ')
    .split(' '),
);
