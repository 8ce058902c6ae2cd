/** Fields that endpoints need beyond the OpenAI protocol, shared by judges and embedders. */
import * as z from 'zod';

/** A header name as defined by HTTP. */
const headerName = z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/u);
/** A single line without control characters. */
const headerValue = z.string().regex(/^[\t\x20-\x7e]{0,2000}$/u);

export const endpointFields = {
  headers: z
    .record(headerName, headerValue)
    .optional()
    .describe('Sent with every request. Keys do not belong here: the file is shared.'),
  query: z
    .record(z.string().min(1), z.string())
    .optional()
    .describe(
      'Put behind the address of every request, such as {"api-version": "2024-10-21"} for Azure OpenAI.',
    ),
  keyHeader: headerName
    .optional()
    .describe(
      'The header that carries the key as it is, "api-key" for Azure OpenAI; a bearer token when left out.',
    ),
};
