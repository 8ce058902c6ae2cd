/** A figure leads to its queries: the table shows only them, and is brought into sight. */
import { FIRST_CELL, type ComparedContext } from './draft.ts';
import type { Lead } from './lead.ts';

/** @param dataset whose queries; of the one in detail when left out */
export function followLead({ actions, set }: ComparedContext, lead: Lead, dataset = set.name): void {
  actions.edit({ lead, dataset, filter: 'all', pages: 1, cell: FIRST_CELL, moving: undefined });
  bringIntoSight('queries');
}

/** Goes to a section as a link would: the keyboard goes on from its heading. */
export function bringIntoSight(section: string): void {
  const heading = document.getElementById(`${section}-heading`);
  heading?.focus({ preventScroll: true });
  heading?.scrollIntoView({ block: 'start' });
}
