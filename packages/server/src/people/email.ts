/** The shape of an email address. Nobody checks whether it can be reached, since no mail is sent. */

/** The maximum length of an email address (RFC 5321); a longer one belongs to nobody. */
export const maxEmailLength = 254

export const normalEmail = (email: string): string => email.trim().toLowerCase()

export const isEmail = (address: string): boolean =>
  address.length <= maxEmailLength && /^[^\s@<>"',;:\\()[\]]+@[^\s@<>"',;:\\()[\]]+$/.test(address)
