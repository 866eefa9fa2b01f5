/**
 * Returns the name of a person or workspace for a message to somebody else, or `otherwise` if the name contains a web
 * address or a line break. With such a name, a stranger could put a link or sentences into the message.
 */
export const safeNameOr = (name: string, otherwise: string): string =>
  /:\/\/|www\.|[\p{Cc}\u2028\u2029]/iu.test(name.normalize('NFKC')) ? otherwise : name
