/**
 * The name of a person or a workspace for a message to somebody else, or `otherwise` if the name contains a web address
 * or a line break. Mail programs would make a link of the address, so a stranger could write the message by choosing a
 * name.
 */
export const safeNameOr = (name: string, otherwise: string): string =>
  /:\/\/|www\.|[\p{Cc}\u2028\u2029]/iu.test(name.normalize('NFKC')) ? otherwise : name
