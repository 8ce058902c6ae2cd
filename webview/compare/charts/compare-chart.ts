/** The interface of the charts in the compare panel. Each is an object in a separate file, listed in charts.ts. */
import type { Pick } from '../../charts/chart-element.ts';
import type { Chart } from '../../charts/draw.ts';
import type { DropdownOptions } from '../../components/toolkit.ts';
import type { ComparedContext } from '../draft.ts';

/** A control above a chart. */
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
  /** Identifies the chart in the stored choice. */
  readonly name: string;
  readonly label: () => string;
  /** Describes briefly what the chart shows. */
  readonly note: (context: ComparedContext) => string;
  /** `undefined` if the data set has no figures for it. */
  readonly chart: (context: ComparedContext) => Chart | undefined;
  /** Whether the chart exists, for charts that take long to make. */
  readonly isThere?: (context: ComparedContext) => boolean;
  readonly controls?: (context: ComparedContext) => readonly ChartControl[];
  /** Called when a cell is clicked. */
  readonly onPick?: (context: ComparedContext, pick: Pick) => void;
}
