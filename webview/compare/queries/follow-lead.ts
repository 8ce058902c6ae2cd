/** A figure leads to its queries: the table shows only them, and is brought into sight. */
import { bringIntoSight } from '../../components/section.ts';
import { LIST_TOP, type ComparedContext } from '../draft.ts';
import type { Lead } from './lead.ts';

/** @param dataset whose queries; of the one in detail when left out */
export function followLead({ actions, set }: ComparedContext, lead: Lead, dataset = set.name): void {
  actions.edit({ lead, dataset, filter: 'all', ...LIST_TOP, moving: undefined });
  bringIntoSight('queries');
}
