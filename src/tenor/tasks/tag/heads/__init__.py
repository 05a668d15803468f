"""The heads of taggers: softmax, CRF, experts, and labels that are spelled out."""
