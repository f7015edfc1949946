/** A host that does not exist. The name is too long to ask a name server for, which could be slow. */
export const NO_HOST = `${'a'.repeat(64)}.invalid`;
