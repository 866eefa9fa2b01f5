/**
 * The maximum lengths of texts that their own rules judge before they are stored. They are far above what the rules
 * accept, so that a text that is a little too long gets the refusal of its rule.
 */
export const maxNameLength = 1000
export const maxEmailLength = 1000
export const maxPasswordLength = 1000
