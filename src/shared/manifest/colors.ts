/** The colours that themes can change, with the defaults for the editor's own themes. */
import { COLORS } from './contributions.ts';
import { perspectiveMark } from '../../features/inspector/contract/panel.ts';

/** Colours as `#rrggbb`, or ids of the editor's colours. */
interface Hue {
  readonly light: string;
  readonly dark: string;
  readonly highContrast: string;
  readonly highContrastLight: string;
}

interface Color {
  readonly id: string;
  readonly description: string;
  readonly defaults: Hue;
}

const everywhere = (name: string): Hue => ({
  light: name,
  dark: name,
  highContrast: name,
  highContrastLight: name,
});

/** `charts.orange` has too little contrast on light backgrounds. */
const ORANGE: Hue = {
  light: '#b26b00',
  dark: 'charts.orange',
  highContrast: '#e8912d',
  highContrastLight: '#b34700',
};

/** The hues of perspectives, in order. */
const HUES: readonly Hue[] = [
  everywhere('charts.blue'),
  ORANGE,
  everywhere('charts.green'),
  everywhere('charts.purple'),
  everywhere('charts.red'),
  everywhere('charts.yellow'),
  everywhere('terminal.ansiCyan'),
  everywhere('terminal.ansiMagenta'),
];

export const THEME_COLORS: readonly Color[] = [
  ...HUES.map((defaults, index) => ({
    id: COLORS.perspective(index),
    description: `Colour of perspective ${perspectiveMark(index).letter} in chips, matrix and editor marks.`,
    defaults,
  })),
  {
    id: COLORS.evidenceFor,
    description: 'Mark of what is quoted for "yes" from a passage under review.',
    defaults: everywhere('charts.blue'),
  },
  {
    id: COLORS.evidenceAgainst,
    description: 'Mark of what is quoted for "no" from a passage under review.',
    defaults: ORANGE,
  },
  {
    id: COLORS.passageBackground,
    description: 'Background of the retrieved passage in an opened document.',
    defaults: {
      light: '#0b6bcb14',
      dark: '#4daafc1f',
      highContrast: '#6fc3ff30',
      highContrastLight: '#0043a81a',
    },
  },
];
