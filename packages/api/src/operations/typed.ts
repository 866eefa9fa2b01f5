/**
 * The maximum lengths of inputs whose exact rules are checked later. They are above the limits of those rules, so that
 * a text that is only a little too long gets the message of its rule.
 */
export const maxNameLength = 1000
export const maxEmailLength = 1000
export const maxPasswordLength = 1000
