/** Path of endpoint 5 (spec, Endpoints): deprecated, without parameters and without a body. */
export const CONVERT_PATH = '/blobs/convert';
