"""A question on its way through link, retrieve, read: request, hypotheses, fusion, composed answer, and their order."""
