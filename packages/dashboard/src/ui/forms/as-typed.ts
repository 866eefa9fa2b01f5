/** Attributes of an input for names and other exact text: the browser neither completes nor corrects what is typed. */
export const asTyped = { autoComplete: 'off', autoCapitalize: 'none', spellCheck: false } as const
/** The order of the parts of an input with its hint (`description`) last, so that inputs side by side are aligned. */
export const hintBelow: ('label' | 'input' | 'error' | 'description')[] = ['label', 'input', 'error', 'description']
