/**
 * Computes the key of a path, which is equal for all paths that some file system treats as the same. It normalises to
 * NFC, ignores case (D49) with the full case mapping (on APFS a long s is an s), and drops characters that HFS+
 * ignores. Every comparison of paths that must hold on all machines uses this key.
 */
export const pathKey = (path: string): string =>
  path
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .normalize('NFC')
    .toUpperCase()
    .toLowerCase()
    .normalize('NFC')
