/** Announcements for screen readers. */

/** The id distinguishes repeated announcements of the same text. */
export interface Announcement {
  readonly id: number;
  readonly text: string;
}

export const SILENCE: Announcement = { id: 0, text: '' };

/** The announcement after `before`. */
export function announced(before: Announcement, text: string): Announcement {
  return { id: before.id + 1, text };
}
