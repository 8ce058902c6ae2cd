import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { englishShare, isEnglish } from '../../../src/core/text/language.ts';

const OTHERS = {
  German:
    'Die Stadt soll Autos verbieten, weil sie laut sind und die Luft verschmutzen. Wer mit dem Rad fährt, kommt in der Innenstadt schneller ans Ziel.',
  French:
    'La ville devrait interdire les voitures, parce qu’elles font du bruit et polluent l’air. À vélo, on arrive plus vite au centre.',
  Dutch:
    'De stad moet auto’s verbieden omdat ze lawaai maken en de lucht vervuilen. Wie met de fiets gaat is sneller of even snel in het centrum.',
  Danish:
    'Byen bør forbyde biler, fordi de larmer og forurener luften. De to cykelstier til og fra centrum har for lidt plads, og vi kan have flere.',
  Spanish:
    'La ciudad debería prohibir los coches porque hacen ruido y contaminan el aire. En bicicleta se llega antes al centro.',
  Japanese: '市は車を禁止すべきです。騒音を出し、空気を汚すからです。',
};

test('English prose and documentation with code in it are English', () => {
  assert.ok(isEnglish(englishShare([readFileSync('README.md', 'utf8')])));
  assert.ok(isEnglish(englishShare([readFileSync('docs/command-line.md', 'utf8')])));
});

for (const [language, text] of Object.entries(OTHERS))
  test(`${language} is not English`, () => {
    assert.ok(!isEnglish(englishShare([text])), String(englishShare([text])));
  });

test('texts without words are not English', () => {
  assert.equal(englishShare(['', '123 ++ {}']), 0);
});
