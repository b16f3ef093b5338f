"""The processes of memdash and the data folder they stand on."""
