import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  languageOf,
  languagesOfQuestion,
  LANGUAGE_NAMES,
  termIn,
  type LanguageName,
} from '../../../src/engine/bm25/other-languages.ts';
import { fold, words } from '../../../src/core/text/words.ts';

const TEXTS: Readonly<Record<string, string>> = {
  danish:
    'Nøglerne ligger i skabet, men nogle af dem er ikke altid på rette sted, og det bliver et problem for os.',
  dutch: 'Het kantoor is op maandag gesloten, maar de sleutels liggen bij de portier van het gebouw.',
  finnish: 'Avain on kaapissa, mutta se ei ole aina siellä, jos joku on ottanut sen mukaan.',
  french: "Les clés sont dans l'armoire du bureau, mais elles ne sont pas toujours à la bonne place.",
  german: 'Die Schlüssel liegen im Schrank, aber sie sind nicht immer an der richtigen Stelle.',
  italian: "Le chiavi sono nell'armadio dell'ufficio, ma non sono sempre al posto giusto per tutti.",
  norwegian:
    'Nøklene ligger i skapet, men noen av dem er ikke alltid på rett sted, og det blir et problem for oss.',
  portuguese:
    'A chave do escritório está com o porteiro, que não sabe se ela é para a porta ou para o armário do chefe.',
  russian: 'Ключи лежат в шкафу, но они не всегда на месте, и это проблема для нас.',
  spanish: 'Las llaves están en el armario de la oficina, pero no siempre son las de la puerta.',
  swedish: 'Nycklarna ligger i skåpet, men de är inte alltid på rätt ställe, och det är ett problem för oss.',
};

const languageOfText = (text: string): string | undefined => languageOf(words(fold(text)));

test('recognises prose in each language whose words it stems', () => {
  assert.deepEqual(LANGUAGE_NAMES, Object.keys(TEXTS));
  for (const [name, text] of Object.entries(TEXTS)) assert.equal(languageOfText(text), name);
});

test('takes what it cannot tell for English', () => {
  for (const text of [
    '',
    'The keys are in the cupboard of the office, and they are not always in the right place.',
    'The Los Angeles Rams, the Los Angeles Lakers, the Los Angeles Clippers',
    'Los Angeles Rams, Los Angeles Lakers, Los Angeles Clippers, Plaza de España',
    'def area(w, h):\n    return w * h',
    'Schlüssel',
    '鍵は戸棚の中にあります。',
  ])
    assert.equal(languageOfText(text), undefined, text);
});

test('asks in the language of a question that has most stop words, else in all', () => {
  const languages = (question: string, ...of: Parameters<typeof languagesOfQuestion>[1]) =>
    languagesOfQuestion(words(fold(question)), of);
  assert.deepEqual(languages('Was ist das Haus in der Stadt?', undefined, 'german', 'french'), [
    undefined,
    'german',
  ]);
  assert.deepEqual(languages('How could we eliminate homelessness?', undefined, 'german'), [undefined]);
  assert.deepEqual(languages('Energia nucleare', undefined, 'italian'), [undefined, 'italian']);
  assert.deepEqual(languages('The houses of the town', 'german', 'russian'), ['german', 'russian']);
  assert.deepEqual(languages('Was ist das?', undefined), [undefined]);
});

test('finds one stem for forms of a word', () => {
  const stems = (name: LanguageName, forms: string): string[] => [
    ...new Set(forms.split(' ').map((form) => termIn(name, fold(form)))),
  ];
  assert.deepEqual(stems('german', 'Haus Häuser Häusern'), ['haus']);
  assert.deepEqual(stems('french', "maison maisons l'maison"), ['maison']);
  assert.deepEqual(stems('french', "qu'homme d'homme homme"), ['homm']);
  assert.deepEqual(stems('italian', "armadio dell'armadio"), ['armad']);
  assert.deepEqual(stems('russian', 'дом домами дома'), ['дом']);
  assert.deepEqual(stems('portuguese', 'informação informações'), ['inform']);
  assert.deepEqual(stems('spanish', 'habitación habitaciones'), ['habit']);
});
