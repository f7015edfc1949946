/** A host that does not exist. Its first label is too long for a DNS query, so the lookup fails quickly. */
export const NO_HOST = `${'a'.repeat(64)}.invalid`;
