/**
 * The key of a path: equal for all paths that some file system treats as the same. It uses NFC and case (D49), full
 * case mapping (to APFS a long s is an s), and ignores characters that HFS+ does not see. Every comparison of paths
 * that must hold on all machines uses it.
 */
export const keyOf = (path: string): string =>
  path
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .normalize('NFC')
    .toUpperCase()
    .toLowerCase()
    .normalize('NFC')
