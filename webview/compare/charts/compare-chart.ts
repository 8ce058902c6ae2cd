/** A chart that the compare panel offers: one object in a file of its own, named in charts.ts. */
import type { Pick } from '../../charts/chart-element.ts';
import type { Chart } from '../../charts/draw.ts';
import type { DropdownOptions } from '../../components/toolkit.ts';
import type { ComparedContext } from '../draft.ts';

/** Something to choose about a chart, above it. */
export type ChartControl =
  | ({ readonly type: 'dropdown' } & DropdownOptions)
  | {
      readonly type: 'check';
      readonly label: string;
      readonly checked: boolean;
      readonly testId: string;
      readonly onChange: (checked: boolean) => void;
    };

export interface CompareChart {
  /** Under which the choice of a chart is kept. */
  readonly name: string;
  readonly label: () => string;
  /** Says in a few words what the chart shows. */
  readonly note: (context: ComparedContext) => string;
  /** `undefined` where the data set has no figures for it. */
  readonly chart: (context: ComparedContext) => Chart | undefined;
  /** Whether there is one, where making it only to see that takes long. */
  readonly isThere?: (context: ComparedContext) => boolean;
  readonly controls?: (context: ComparedContext) => readonly ChartControl[];
  /** Called when a cell is clicked. */
  readonly onPick?: (context: ComparedContext, pick: Pick) => void;
}
