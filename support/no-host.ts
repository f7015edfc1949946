/** A host that does not exist. Its name is too long for a DNS query, which could be slow. */
export const NO_HOST = `${'a'.repeat(64)}.invalid`;
