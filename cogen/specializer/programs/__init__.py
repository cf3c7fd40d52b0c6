"""What programs are whatever is known of data: free names, what is mutated or goes round."""
