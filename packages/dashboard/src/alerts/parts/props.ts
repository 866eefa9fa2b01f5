/** The props of every tab on the page of alerts. */
export interface AlertTabProps {
  slug: string
  admin: boolean
}
