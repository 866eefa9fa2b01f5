/**
 * What two paths share that some file system takes for one: NFC and case as D49 says, full case mapping (a long s is an s to APFS),
 * and characters that HFS+ does not see. Every comparison of paths that must hold on all machines goes by it.
 */
export const keyOf = (path: string): string =>
  path
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .normalize('NFC')
    .toUpperCase()
    .toLowerCase()
    .normalize('NFC')
