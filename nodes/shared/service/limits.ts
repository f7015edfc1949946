/** Largest push the service indexes; a larger one is silently ignored (docs/service-interface.md, Limits). */
export const MAX_PUSH_BYTES = 5_000_000;

/** Largest text of a chunking request (docs/service-interface.md, Limits). */
export const MAX_CHUNK_TEXT_BYTES = 1_000_000;
