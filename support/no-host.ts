/** A host that does not exist. Its name is too long for DNS, so looking it up fails without a slow query. */
export const NO_HOST = `${'a'.repeat(64)}.invalid`;
