/** The places at which perspectives are lost, as files and messages say them. */
import * as z from 'zod';
import { FORMER_NOT_FOUND, LOSS_PLACES } from './lost.ts';

/** Reads what builds wrote that called everything that was not found "not in the corpus". */
export const lossPlaceSchema = z
  .enum([...LOSS_PLACES, FORMER_NOT_FOUND])
  .transform((place) => (place === FORMER_NOT_FOUND ? ('not-found' as const) : place));
