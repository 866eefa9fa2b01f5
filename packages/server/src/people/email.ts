/** Checks the form of an e-mail address. Whether mail reaches the address is not checked. */

/** The maximum length of an e-mail address (RFC 5321); a longer one belongs to nobody. */
export const maxEmailLength = 254

export const normalEmail = (email: string): string => email.trim().toLowerCase()

export const isEmail = (address: string): boolean =>
  address.length <= maxEmailLength && /^[^\s@<>"',;:\\()[\]]+@[^\s@<>"',;:\\()[\]]+$/.test(address)
