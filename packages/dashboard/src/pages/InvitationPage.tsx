export const InvitationPage = () => null
