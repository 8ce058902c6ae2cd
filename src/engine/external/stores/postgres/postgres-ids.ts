/** Valid values of the id column, by its type. */

/** Types of texts, by PostgreSQL's names. */
export const TEXT_TYPES: readonly string[] = ['text', 'character varying'];

const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/iu;
const integerUpTo =
  (most: number) =>
  (id: string): boolean =>
    /^-?\d{1,18}$/u.test(id) && Math.abs(Number(id)) <= most;

/** Whether a text can be an id of a type, by PostgreSQL's names of types. The types of texts accept any text. */
export const ID_FORMS: Readonly<Record<string, (id: string) => boolean>> = {
  smallint: integerUpTo(2 ** 15 - 1),
  integer: integerUpTo(2 ** 31 - 1),
  bigint: integerUpTo(2 ** 63),
  numeric: integerUpTo(2 ** 63),
  uuid: (id) => UUID.test(id),
};
