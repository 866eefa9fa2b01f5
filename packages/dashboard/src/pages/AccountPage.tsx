export const AccountPage = () => null
