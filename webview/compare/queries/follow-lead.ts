/** Follows the link of a figure: filters the table of queries and scrolls to it. */
import { bringIntoSight } from '../../components/section.ts';
import { LIST_TOP, type ComparedContext } from '../draft.ts';
import type { Lead } from './lead.ts';

/** @param dataset the data set of the queries; defaults to the one in detail */
export function followLead({ actions, set }: ComparedContext, lead: Lead, dataset = set.name): void {
  actions.edit({ lead, dataset, filter: 'all', ...LIST_TOP, moving: undefined });
  bringIntoSight('queries');
}
