/** The error for a database that is missing or cannot be used. Its message says what to do. */
export class StoreError extends Error {}
