/** The box for an address hides its value while it may contain a password. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeEditor } from '../../fixtures/fake-editor.ts';

type Listener = () => void;
class Box {
  value = '';
  password = false;
  validationMessage: string | undefined;
  typed: Listener = () => undefined;
  accept: Listener = () => undefined;
  hide: Listener = () => undefined;
  readonly onDidChangeValue = (listener: Listener): void => void (this.typed = listener);
  readonly onDidAccept = (listener: Listener): void => void (this.accept = listener);
  readonly onDidHide = (listener: Listener): void => void (this.hide = listener);
  show(): void {}
  dispose(): void {}
}

const boxes: Box[] = [];
fakeEditor(
  {},
  {
    createInputBox: () => {
      boxes.push(new Box());
      return boxes.at(-1);
    },
  },
);
const { askForAddress } = await import('../../../src/extension/platform/ask-address.ts');

const ask = (value: string): [Promise<string | undefined>, Box] => {
  const asked = askForAddress({
    title: 't',
    prompt: 'p',
    value,
    problemOf: (address) => (address === '' ? 'Nothing.' : undefined),
  });
  return [asked, boxes.at(-1)!];
};

test('hides an address while it may contain a password, and only then', async () => {
  const [asked, box] = ask('postgres://host/db?password=secret');
  assert.equal(box.password, true);
  for (const [value, isHidden] of [
    ['postgres://user', false],
    ['postgres://user:', false],
    ['postgres://user:s', true],
    ['postgres://us@er:pa/ss@host/db', true],
    ['postgres://user@host/db', false],
  ] as const) {
    box.value = value;
    box.typed();
    assert.equal(box.password, isHidden, value);
  }
  box.value = ' postgres://user@host/db ';
  box.accept();
  assert.equal(await asked, 'postgres://user@host/db');
});

test('does not accept an invalid address; closing the box returns undefined', async () => {
  const [asked, box] = ask('');
  assert.equal(box.validationMessage, 'Nothing.');
  box.accept();
  box.hide();
  assert.equal(await asked, undefined);
});
