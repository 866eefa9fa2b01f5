/**
 * The name of a person or a workspace for a message to somebody else, or `otherwise` if it holds an address or a line
 * break. Mail programs would make a link of the address, and the message would say what a stranger wants.
 */
export const named = (name: string, otherwise: string): string =>
  /:\/\/|www\.|[\p{Cc}\u2028\u2029]/iu.test(name.normalize('NFKC')) ? otherwise : name
