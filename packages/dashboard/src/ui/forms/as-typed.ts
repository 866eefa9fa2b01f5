/** Attributes of an input for names and other exact text: the browser neither completes nor corrects what is typed. */
export const asTyped = { autoComplete: 'off', autoCapitalize: 'none', spellCheck: false } as const
