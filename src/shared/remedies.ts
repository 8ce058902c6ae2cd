/** What a panel offers where nothing can be shown, or not yet. */
import * as z from 'zod';

/** `open-config` opens parallax.json, made first where there is none. */
export const REMEDIES = ['open-config', 'build-eval-set', 'manage-trust'] as const;
export type Remedy = (typeof REMEDIES)[number];

export const remedySchema = z.object({ type: z.enum(REMEDIES) });
