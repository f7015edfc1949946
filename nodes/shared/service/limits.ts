/** Largest push the service indexes; a larger one is silently left out (facts, section 3). */
export const MAX_PUSH_BYTES = 5_000_000;

/** Largest input text of a chunking request (facts, section 1.2: about 1 MB). */
export const MAX_CHUNK_TEXT_BYTES = 1_000_000;
