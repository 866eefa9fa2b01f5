/** The database is missing or cannot be used; the message says what to do. */
export class StoreError extends Error {}
