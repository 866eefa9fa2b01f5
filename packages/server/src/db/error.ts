/** The database is not there, or not one that can be used; its message says what to do. */
export class StoreError extends Error {}
