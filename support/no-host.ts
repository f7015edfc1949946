/** A host that does not exist. Its name is too long to ask a name server for, which may take its time. */
export const NO_HOST = `${'a'.repeat(64)}.invalid`;
