/** Colours of series, told apart in both schemes and by most who do not see colours; the rest of the many is grey. */
const colors = [
  'light-dark(#4f5ad6, #8f9af2)',
  'light-dark(#0b8a7a, #3fc4b1)',
  'light-dark(#c2610c, #f0a04b)',
  'light-dark(#a63a8f, #dd86cb)',
  'light-dark(#3b82c4, #7cc0f5)',
  'light-dark(#7a8a1e, #c2cf5a)',
] as const

export const colorOf = (place: number | null): string =>
  (place === null ? undefined : colors[place % colors.length]) ?? 'light-dark(#8b93a1, #7d8595)'
